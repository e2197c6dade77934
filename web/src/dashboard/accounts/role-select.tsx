import { t } from '../../languages/texts.ts'
import { Select } from '../../ui/select.tsx'
import type { Role } from './accounts-queries.ts'

const roles: readonly Role[] = ['owner', 'operator', 'viewer']

interface RoleSelectProps {
  label: string
  labelHidden?: boolean
  value: Role
  disabled?: boolean
  onChange: (role: Role) => void
}

/** A choice of what somebody may do. */
export function RoleSelect({ onChange, ...rest }: RoleSelectProps) {
  const options = roles.map((role) => ({ value: role, label: t(`accounts.role-${role}`) }))
  return <Select {...rest} options={options} onChange={(role) => onChange(role as Role)} />
}
