import type { LayoutName } from '../../resources/layout-names.ts'

/** A layout that lasts as long as its owner, such as a screen share. */
interface TemporaryLayout {
  owner: object
  /** The layout to go back to. */
  before: LayoutName
}

/** The layouts that screen shares and files brought along. When one ends, the layout before it comes back. */
export class TemporaryLayouts {
  /** The last one is the present layout. */
  readonly #layouts: TemporaryLayout[] = []

  add(owner: object, before: LayoutName): void {
    this.#layouts.push({ owner, before })
  }

  /** Somebody set another layout. It stays, whoever ends. */
  clear(): void {
    this.#layouts.length = 0
  }

  /** The owner ends. @returns the layout that comes back; null if the present one stays */
  end(owner: object): LayoutName | null {
    const index = this.#layouts.findIndex((one) => one.owner === owner)
    const [ended] = index < 0 ? [] : this.#layouts.splice(index, 1)
    if (!ended) return null
    const next = this.#layouts[index]
    if (!next) return ended.before
    next.before = ended.before
    return null
  }
}
