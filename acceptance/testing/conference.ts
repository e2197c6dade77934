import type { Page } from 'playwright-core'
import { button, type PageVisitors, previewShows } from './page-visitors.ts'
import type { Deployment } from './use-deployment.ts'

/** A token of a conference, with its link. */
export interface ConferenceLink {
  id: string
  name: 'moderator' | 'guest'
  token: string
  url: string
}

/** A conference that a test made over REST. */
export interface Conference {
  id: string
  name: string
  moderator: ConferenceLink
  guest: ConferenceLink
}

/** Makes a conference, by default with a name that no other test uses. */
export async function makeConference(
  deployment: Deployment,
  { name = deployment.roomName(), ...settings }: { name?: string } & Record<string, unknown> = {},
): Promise<Conference> {
  const { rest } = deployment
  const made = await rest.send<{ id: string }>('POST', '/conferences', {
    name,
    display_name: 'Town hall',
    ...settings,
  })
  if (made.status !== 200) throw new Error(`the conference was not made: ${JSON.stringify(made.body)}`)
  const { id } = made.body
  const { body } = await rest.send<{ data: ConferenceLink[] }>('GET', `/conferences/${id}/conference_tokens`)
  const linkOf = (role: string): ConferenceLink => {
    const link = body.data.find((one) => one.name === role)
    if (!link) throw new Error(`the conference has no token of the ${role}`)
    return link
  }
  return { id, name, moderator: linkOf('moderator'), guest: linkOf('guest') }
}

/** People who come to conferences by their links, each on a device of their own. */
export function useConferenceGuests({ visitor }: Pick<PageVisitors, 'visitor'>) {
  return {
    /**
     * Joins with camera and microphone on.
     * @param prepare called before the page loads
     */
    async join(
      { url }: ConferenceLink,
      userName: string,
      prepare: (page: Page) => Promise<void> = async () => {},
    ): Promise<Page> {
      const page = await visitor()
      page.setDefaultTimeout(40_000)
      await prepare(page)
      await page.goto(url)
      await page.getByLabel('Your name').fill(userName)
      await previewShows(page)
      await button(page, 'Join now').click()
      await button(page, 'Leave the room').waitFor()
      return page
    },
  }
}
