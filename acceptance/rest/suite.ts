import type { Deployment } from '../testing/use-deployment.ts'
import { basic, Caller } from './caller.ts'
import { Coverage } from './coverage.ts'
import { type Parties, parties } from './parties.ts'
import { Project } from './project.ts'

/** State that the parts of the suite share: the callers, their projects, and the statuses seen so far. */
export interface Suite {
  deployment: Deployment
  caller: Caller
  coverage: Coverage
  parties: Parties
  project: Project
  /** Another customer of the same deployment. */
  other: Project
  /** Credentials that no operation accepts. */
  strangers: { wrongToken: string }
}

/**
 * Fills in the suite before its first test.
 * @param withFaults whether one of its tests takes the database away
 */
export async function prepare(suite: Suite, withFaults = false): Promise<void> {
  const { deployment } = suite
  suite.coverage = new Coverage(withFaults)
  suite.caller = new Caller(deployment.access, suite.coverage)
  suite.parties = await parties(deployment)
  suite.strangers = { wrongToken: basic(suite.parties.projectId, 'a-token-that-nobody-has') }
  suite.project = new Project(suite.caller, suite.parties.projectId, suite.parties.own)
  suite.other = new Project(suite.caller, suite.parties.otherProjectId, suite.parties.other)
  await Promise.all([suite.project.signIn(), suite.other.signIn()])
}
