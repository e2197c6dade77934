import { ROLES, type Role } from '../resources/roles.ts'
import { absent, BadValue, literal, type Option, option, secret } from './option.ts'
import { line, projectId } from './texts.ts'

/** A rule for people of the OpenID provider: whose claim has this value has the role. */
export interface OpenIdRule {
  /** `email` may have `*@` before a domain. */
  readonly claim: string
  readonly value: string
  readonly role: Role
}

function oidcRules(text: string): readonly OpenIdRule[] {
  const rules = text.split(',').map((entry): OpenIdRule => {
    const [, who = '', named] = /^(.+)=([a-z]+)$/.exec(entry.trim()) ?? []
    const role = ROLES.find((one) => one === named)
    const [, claim, value] = /^([A-Za-z0-9_.:/-]+):(.+)$/.exec(who) ?? []
    const isEmail = /^[^\s@:]+@[^\s@:]+$/.test(who)
    if (!role || (!isEmail && claim === undefined)) {
      const example = '"ada@example.org=owner, *@example.org=viewer, groups:operators=operator"'
      throw new BadValue(`rules such as ${example}, separated by commas; "${entry.trim()}" is none`)
    }
    return isEmail ? { claim: 'email', value: who, role } : { claim: claim ?? '', value: value ?? '', role }
  })
  return Object.freeze(rules)
}

/** Plain HTTP is accepted only where it does not leave this machine. */
function oidcIssuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '')
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return text
  throw new BadValue('an https:// URL such as https://login.example.org')
}

/** Signing in by an OpenID provider. */
export const signInOptions = {
  oidcIssuer: option(
    'PARLEY_OIDC_ISSUER',
    'URL',
    absent('(none)'),
    'OpenID provider by which people sign in. Register the address <base URL>/page/openid/callback with it.',
    oidcIssuer,
  ) as Option<string | null>,
  oidcClientId: option(
    'PARLEY_OIDC_CLIENT_ID',
    'text',
    absent('(none)'),
    'Id of this server at the OpenID provider.',
    line,
  ) as Option<string | null>,
  oidcClientSecret: secret(
    option(
      'PARLEY_OIDC_CLIENT_SECRET',
      'secret',
      absent('(none, for a public client)'),
      'Secret of this server at the OpenID provider.',
      line,
    ) as Option<string | null>,
  ),
  oidcRoles: option<readonly OpenIdRule[]>(
    'PARLEY_OIDC_ROLES',
    'rules',
    literal('(nobody)', Object.freeze([])),
    'Who has which role by the OpenID provider: verified e-mail addresses (ada@example.org=owner, *@example.org=viewer) and values of claims (groups:operators=operator). The role that may most counts.',
    oidcRules,
  ),
  oidcName: option(
    'PARLEY_OIDC_NAME',
    'text',
    absent('(host name of the issuer)'),
    'Name of the OpenID provider on the sign-in page.',
    line,
  ) as Option<string | null>,
  oidcProject: option(
    'PARLEY_OIDC_PROJECT',
    'id',
    absent('(the oldest project)'),
    'Project that people of the OpenID provider sign in to.',
    projectId,
  ) as Option<string | null>,
}
