import type { LegState, RoomMethods, WorkerMethods } from './channel.ts'

/** Requests to whoever serves viewers of a room, besides those of {@link ServingRoomMethods}. */
export type ServingMethods = Pick<WorkerMethods, 'serveRoom' | 'closeRoom'>

/** Requests about the viewers of one room. */
export type ServingRoomMethods = Pick<RoomMethods, 'connectLeg' | 'closeLeg' | 'setMember' | 'removeMember'>

/**
 * Who serves viewers of rooms that a worker of this machine mixes: another worker of it (`worker-process.ts`), or another
 * machine. All methods throw `MediaWorkerGone` when it is gone or does not answer, and an `Error` when it refuses.
 */
export interface ViewerHost {
  /** What the log says of it. */
  readonly facts: Readonly<Record<string, string | number | undefined>>
  call<M extends keyof ServingMethods>(
    method: M,
    ...args: Parameters<ServingMethods[M]>
  ): Promise<ReturnType<ServingMethods[M]>>
  callRoom<M extends keyof ServingRoomMethods>(
    sessionId: string,
    method: M,
    args: Parameters<ServingRoomMethods[M]>,
  ): Promise<ReturnType<ServingRoomMethods[M]>>
}

/** What another machine tells of the viewers of a room that it serves. `died`: it serves none of them any more. */
export type ViewerNotice =
  | { event: 'leg'; params: { legId: string; state: LegState } }
  | { event: 'legGone'; params: { legId: string } }
  | { event: 'died'; params: { reason: string } }

/** The other machines that may serve viewers of rooms of this one. */
export interface OtherMachines {
  /** Whether one of them has power for more audience. */
  readonly admitAudience: boolean
  /**
   * Chooses who serves one more viewer of a room.
   * @param serving those that serve viewers of this room already
   * @param below only one that is less busy than this, as a share of its machine
   * @returns null when there is none
   */
  place(serving: ReadonlySet<ViewerHost>, below: number): ViewerHost | null
}
