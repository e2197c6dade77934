import { i18n } from '@lingui/core'

/** Unit tests run in English, with the texts of all areas. */
const catalogs = import.meta.glob<Record<string, string>>('../*/en.json', { import: 'default', eager: true })
i18n.load('en', Object.assign({}, ...Object.values(catalogs)))
i18n.activate('en', ['en-GB'])
