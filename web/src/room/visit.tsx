import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import type { ErrorText } from '../api/error-text.ts'
import { onEffectNews } from '../device-effects/effect-news.ts'
import { GreenRoom } from '../green-room/green-room.tsx'
import type { Readiness } from '../green-room/readiness.ts'
import { WatchRoom } from '../green-room/watch-room.tsx'
import { useToast } from '../ui/toasts.tsx'
import { useTitle } from '../use-title.ts'
import { isWaitingRoom, withoutPass, withPass } from '../waiting-room/waiting-pass.ts'
import { codeMissingText } from './code-missing.ts'
import type { Interruption } from './interruption.ts'
import { JoiningScreen } from './joining-screen.tsx'
import type { LeaveReason } from './leave-reason.ts'
import { loadMeeting, loadMeetingWhenIdle, type MeetingCode } from './load-meeting.ts'
import type { Meeting } from './meeting.ts'
import type { ShowAudience } from './meeting-screen.tsx'
import { readinessFor } from './readiness-for.ts'
import type { ReturnToMeeting } from './return-to-meeting.ts'
import { loadSeat, type Seat, saveSeat } from './seat.ts'
import { startsAtOnce, useSurroundings, withAllowedDevices } from './surroundings.ts'

// They are shown only once `loadMeeting` has succeeded.
const MeetingRoom = lazy(async () => ({ default: (await loadMeeting()).MeetingRoom }))
const WaitingScreen = lazy(async () => ({ default: (await loadMeeting()).WaitingScreen }))
const KnockCards = lazy(async () => ({ default: (await loadMeeting()).KnockCards }))
const ReturnScreen = lazy(async () => ({ default: (await loadMeeting()).ReturnScreen }))
const AfterLeave = lazy(async () => ({ default: (await loadMeeting()).AfterLeave }))

interface VisitProps {
  roomName: string
  roomTitle: string
  /** Set if the invitation contains a name. */
  fixedName: string | null
  /** The link back to the lobby, for people who came from there. */
  lobbyHref?: string
  /** Gets the room token to join with. */
  getToken: (ready: Readiness) => Promise<string>
  /** Opens the invite dialogue. Only for people with credentials for the API. */
  onInvite?: () => void
  showAudience?: ShowAudience
  /** Set if the invitation is for the audience: no camera and no microphone are used. */
  onlyWatches?: boolean
  /** Shown in the green room below the title. */
  greenRoomNote?: ReactNode
  /** Shown after leaving. */
  afterwards?: ReactNode
}

type Stage =
  | { is: 'green-room'; problem: ErrorText | null; attempt: number }
  | { is: 'joining' }
  /** A moderator has to let them in first. */
  | { is: 'waiting'; roomToken: string; before: DevicesBefore }
  | { is: 'meeting'; meeting: Meeting; roomToken: string }
  | { is: 'returning'; returning: ReturnToMeeting; forAll: boolean }
  | { is: 'left'; reason: LeaveReason }

type DevicesBefore = { name: string; cameraOn: boolean; microphoneOn: boolean }

/** Leads from the green room into the meeting and out of it. A reload during the meeting returns directly to it. */
export function Visit(props: VisitProps) {
  const { roomName, roomTitle, lobbyHref, getToken, onInvite, greenRoomNote, afterwards } = props
  const around = useSurroundings()
  const fixedName = props.fixedName ?? around.userName
  const { showAudience, onlyWatches = false } = props
  const tell = useToast()
  const [seatTaken] = useState(() => loadSeat(roomName))
  const [atOnce] = useState(() => startsAtOnce(around, { fixedName, onlyWatches }))
  const [stage, setStage] = useState<Stage>(
    seatTaken || atOnce ? { is: 'joining' } : { is: 'green-room', problem: null, attempt: 0 },
  )
  const meeting = useRef<Meeting | null>(null)
  /** Set with the first meeting. */
  const code = useRef<MeetingCode | null>(null)
  const seatTried = useRef(false)
  /** Another screen has taken the place of this one. */
  const isGone = useRef(false)
  /** Stops a return that is in progress. */
  const stopReturn = useRef<(() => void) | null>(null)
  useTitle(roomTitle)
  useEffect(() => onEffectNews(tell), [tell])

  async function join(offered: Readiness, tokenOf: () => Promise<string>): Promise<void> {
    const ready = withAllowedDevices(offered, around, fixedName)
    setStage({ is: 'joining' })
    const before = devicesOf(ready)
    let attempt: Meeting | null = null
    let roomToken = ''
    try {
      code.current = await loadMeeting()
      if (isGone.current) throw new Error('The person went away while the page loaded.')
      attempt = new code.current.Meeting(tell)
      meeting.current = attempt
      roomToken = await tokenOf()
      await attempt.join(roomToken, ready)
      keepSeat(attempt, { roomName, roomToken, ...off })
      if (meeting.current !== attempt) return
      setStage({ is: 'meeting', meeting: attempt, roomToken })
      around.onMeeting(attempt, roomName)
    } catch (error) {
      saveSeat(null)
      for (const track of ready.tracks) track.stop()
      if (isGone.current || meeting.current !== attempt) return
      if (isWaitingRoom(error)) {
        setStage({ is: 'waiting', roomToken: withoutPass(roomToken), before })
        return
      }
      const problem = code.current?.joinErrorText(error) ?? codeMissingText()
      setStage({ is: 'green-room', problem, attempt: performance.now() })
      around.onProblem({ code: 'join-failed', text: problem })
    }
  }

  function letIn({ roomToken, before }: Extract<Stage, { is: 'waiting' }>, pass: string | null): void {
    const token = pass === null ? roomToken : withPass(roomToken, pass)
    setStage({ is: 'joining' })
    void readinessFor(before).then((ready) => join(ready, async () => token))
  }

  function leaveFor(reason: LeaveReason): void {
    setStage({ is: 'left', reason })
    around.onLeft(reason)
  }

  function comeBack(from: Interruption, roomToken: string): void {
    if (!code.current) return
    const { ReturnToMeeting, comeBackOnce, wasForAll } = code.current
    let isWanted = true
    const onAttempt = (attempt: Meeting) => {
      if (isWanted) meeting.current = attempt
      else void attempt.leave()
    }
    const returning = new ReturnToMeeting(from.people, async () => {
      const back = await comeBackOnce({ from, roomToken, getToken, tell, onAttempt })
      if (!isWanted) return
      stopReturn.current?.()
      keepSeat(back.meeting, { roomName, roomToken: back.roomToken, ...off })
      setStage({ is: 'meeting', ...back })
      around.onMeeting(back.meeting, roomName)
    })
    stopReturn.current = () => {
      isWanted = false
      returning.stop()
      stopReturn.current = null
    }
    setStage({ is: 'returning', returning, forAll: wasForAll(from.reason, true) })
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a seat is taken again once, when the page opens
  useEffect(() => {
    if ((!seatTaken && !atOnce) || seatTried.current) return
    seatTried.current = true
    const before = seatTaken ?? { cameraOn: around.video, microphoneOn: around.audio, watches: onlyWatches }
    const ready = readinessFor(before)
    void ready.then((it) => join(it, async () => seatTaken?.roomToken ?? getToken(it)))
  }, [])

  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
      stopReturn.current?.()
      void meeting.current?.leave()
    }
  }, [])

  useEffect(loadMeetingWhenIdle, [])

  function screen(): ReactNode {
    switch (stage.is) {
      case 'green-room':
        if (onlyWatches) {
          return (
            <WatchRoom
              roomTitle={roomTitle}
              problem={stage.problem}
              onJoin={(ready) => void join(ready, () => getToken(ready))}
            >
              {greenRoomNote}
            </WatchRoom>
          )
        }
        return (
          <GreenRoom
            key={stage.attempt}
            roomTitle={roomTitle}
            fixedName={fixedName}
            {...(lobbyHref ? { backHref: lobbyHref } : {})}
            problem={stage.problem}
            onJoin={(ready) => void join(ready, () => getToken(ready))}
          >
            {greenRoomNote}
          </GreenRoom>
        )
      case 'joining':
        return <JoiningScreen roomTitle={roomTitle} />
      case 'waiting':
        return (
          <WaitingScreen
            roomTitle={roomTitle}
            token={stage.roomToken}
            name={stage.before.name}
            onLetIn={(pass) => letIn(stage, pass)}
            onLeave={() => setStage({ is: 'green-room', problem: null, attempt: performance.now() })}
          />
        )
      case 'meeting':
        return (
          <>
            {stage.meeting.snapshot().permissions.includes('room.lock') && (
              <KnockCards token={stage.roomToken} />
            )}
            <MeetingRoom
              meeting={stage.meeting}
              roomTitle={roomTitle}
              {...(onInvite ? { onInvite } : {})}
              {...(showAudience ? { showAudience } : {})}
              onLeft={(reason) => {
                if (meeting.current !== stage.meeting) return
                meeting.current = null
                const from = stage.meeting.interruption
                if (from) comeBack(from, stage.roomToken)
                else leaveFor(reason)
              }}
            />
          </>
        )
      case 'returning':
        return (
          <ReturnScreen
            returning={stage.returning}
            roomTitle={roomTitle}
            forAll={stage.forAll}
            onLeave={() => {
              stopReturn.current?.()
              void meeting.current?.leave()
              meeting.current = null
              saveSeat(null)
              leaveFor('left')
            }}
          />
        )
      case 'left':
        return (
          <AfterLeave
            reason={stage.reason}
            roomTitle={roomTitle}
            {...(lobbyHref ? { lobbyHref } : {})}
            onRejoin={() => setStage({ is: 'green-room', problem: null, attempt: performance.now() })}
          >
            {afterwards}
          </AfterLeave>
        )
    }
  }

  return <Suspense fallback={<JoiningScreen roomTitle={roomTitle} />}>{screen()}</Suspense>
}

const devicesOf = ({ choices, tracks }: Readiness): DevicesBefore => ({
  name: choices.name,
  cameraOn: tracks.some(({ kind }) => kind === 'video'),
  microphoneOn: tracks.some(({ kind }) => kind === 'audio'),
})

const off = { watches: false, cameraOn: false, microphoneOn: false }

/** Keeps the seat up to date for a reload. Gives it up when the meeting ends. */
function keepSeat(meeting: Meeting, seat: Seat): void {
  const update = () => {
    const { phase, role, members, selfId } = meeting.snapshot()
    // During a return the seat is kept: a reload at that time also continues the return.
    if (phase === 'left') return meeting.interruption ? undefined : saveSeat(null)
    const self = members.find((member) => member.id === selfId)
    saveSeat({
      ...seat,
      watches: role === 'audience',
      cameraOn: self?.videoMuted === false,
      microphoneOn: self?.audioMuted === false,
    })
  }
  meeting.subscribe(update)
  update()
}
