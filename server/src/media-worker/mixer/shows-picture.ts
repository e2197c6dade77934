import type { MemberMedia } from '../../media/channel.ts'

/** Whether what this member's camera sends may be seen. */
export const showsPicture = ({ videoMuted, held }: MemberMedia): boolean => !videoMuted && !held
