import { restSuite } from './rest-suite.ts'

restSuite('rest')
