/** The fields of the forms, which the build takes from the API document (`web/build/form-fields.ts`). */
declare module 'virtual:form-fields' {
  const forms: Readonly<Record<'rooms' | 'conferences', import('./field-kind.ts').FormSchema>>
  export default forms
}
