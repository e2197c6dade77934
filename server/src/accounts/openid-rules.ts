import type { OpenIdRule } from '../config/sign-in-options.ts'
import { ROLES, type Role } from '../resources/roles.ts'

/** Claims of an ID token and of the user info (OpenID Connect Core, section 5.1). */
export type Claims = Readonly<Record<string, unknown>>

/**
 * The role of a person by the operator's rules; undefined if no rule fits. If several fit, the role that may most counts.
 * An e-mail address counts only if the provider has verified it.
 */
export function roleByRules(rules: readonly OpenIdRule[], claims: Claims): Role | undefined {
  const fitting = new Set(rules.filter((rule) => fits(rule, claims)).map(({ role }) => role))
  return ROLES.find((role) => fitting.has(role))
}

function fits({ claim, value }: OpenIdRule, claims: Claims): boolean {
  if (claim === 'email') {
    const email = verifiedEmail(claims)?.toLowerCase()
    if (email === undefined) return false
    return value.startsWith('*@')
      ? email.endsWith(value.slice(1).toLowerCase())
      : email === value.toLowerCase()
  }
  return [Object.hasOwn(claims, claim) ? claims[claim] : undefined]
    .flat()
    .some((one) => String(one) === value)
}

/** The e-mail address, if the provider says that it has verified it. */
function verifiedEmail({ email, email_verified }: Claims): string | undefined {
  return typeof email === 'string' && email_verified === true ? email : undefined
}

/** A name for a person of the provider, of the characters that names have here. */
export function nameByClaims(claims: Claims): string {
  const { preferred_username, sub } = claims
  const found =
    verifiedEmail(claims) ?? (typeof preferred_username === 'string' ? preferred_username : String(sub))
  return found.replaceAll(/[^A-Za-z0-9_.@+-]/g, '_').slice(0, 100) || 'user'
}
