/**
 * The colours and sizes of the product, as `web/src/tokens.css` has them; a test compares them. The page is made
 * without the build of the pages, so that it depends on nothing.
 */
export const TOKENS = {
  '--color-canvas': 'light-dark(oklch(0.975 0.004 200), oklch(0.2 0.012 220))',
  '--color-surface': 'light-dark(oklch(1 0 0), oklch(0.24 0.014 220))',
  '--color-sunken': 'light-dark(oklch(0.95 0.006 200), oklch(0.17 0.01 220))',
  '--color-hover': 'light-dark(oklch(0.935 0.009 200), oklch(0.31 0.017 220))',
  '--color-line': 'light-dark(oklch(0.895 0.008 210), oklch(0.34 0.016 220))',
  '--color-line-strong': 'light-dark(oklch(0.645 0.014 215), oklch(0.54 0.018 220))',
  '--color-ink': 'light-dark(oklch(0.25 0.022 225), oklch(0.95 0.006 200))',
  '--color-ink-soft': 'light-dark(oklch(0.46 0.022 222), oklch(0.76 0.014 210))',
  '--color-accent': 'light-dark(oklch(0.5 0.095 192), oklch(0.8 0.105 188))',
  '--color-accent-strong': 'light-dark(oklch(0.44 0.088 194), oklch(0.85 0.098 188))',
  '--color-on-accent': 'light-dark(oklch(1 0 0), oklch(0.2 0.03 210))',
  '--color-focus': 'light-dark(oklch(0.52 0.13 230), oklch(0.82 0.11 215))',
  '--color-warning-soft': 'light-dark(oklch(0.965 0.035 85), oklch(0.31 0.045 80))',
  '--color-warning-ink': 'light-dark(oklch(0.43 0.085 70), oklch(0.87 0.1 85))',
  '--font-sans': '"Inter Variable", system-ui, sans-serif',
  '--font-mono': 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace',
  '--text-sm': '0.875rem',
  '--text-base': '1rem',
  '--text-lg': '1.1875rem',
  '--text-2xl': '2rem',
  '--tracking-tight': '-0.018em',
  '--radius-sm': '0.375rem',
  '--radius-md': '0.625rem',
  '--radius-lg': '1rem',
  '--shadow-card': '0 1px 2px oklch(0.2 0.03 220 / 0.05), 0 2px 10px oklch(0.2 0.03 220 / 0.04)',
} as const

const variables = Object.entries(TOKENS)
  .map(([name, value]) => `${name}:${value}`)
  .join(';')

/** The stylesheet of the page. */
export const STYLE = `:root{color-scheme:light dark;${variables}}
*{box-sizing:border-box;margin:0}
body{background:var(--color-canvas);color:var(--color-ink);font:var(--text-base)/1.5 var(--font-sans);overflow-wrap:break-word}
.page{max-width:44rem;margin:0 auto;padding:1.5rem 1rem 3rem;display:grid;grid-template-columns:minmax(0,1fr);gap:1.25rem}
.brand{display:flex;align-items:center;gap:.625rem;font-size:var(--text-lg);font-weight:600;letter-spacing:var(--tracking-tight)}
h1{font-size:var(--text-2xl);line-height:2.35rem;letter-spacing:var(--tracking-tight);text-wrap:balance;margin:1.25rem 0 .75rem}
h2{font-size:var(--text-lg);line-height:1.6rem;letter-spacing:var(--tracking-tight)}
p+p{margin-top:.75rem}
.soft{color:var(--color-ink-soft)}
.small{font-size:var(--text-sm);line-height:1.3rem}
.card{background:var(--color-surface);border:1px solid var(--color-line);border-radius:var(--radius-lg);box-shadow:var(--shadow-card);padding:1.25rem;display:grid;grid-template-columns:minmax(0,1fr);gap:.875rem}
.step{display:flex;gap:.75rem;align-items:center}
.number{flex:none;display:grid;place-items:center;width:1.75rem;height:1.75rem;border-radius:50%;background:var(--color-sunken);color:var(--color-ink-soft);font-size:var(--text-sm);font-weight:600}
.button{display:inline-flex;align-items:center;justify-content:center;min-height:2.75rem;padding:.5rem 1.25rem;border-radius:var(--radius-md);background:var(--color-accent);color:var(--color-on-accent);font-weight:600;text-decoration:none}
.button:hover{background:var(--color-accent-strong)}
a{color:var(--color-accent);text-underline-offset:.2em}
:focus-visible{outline:2px solid var(--color-focus);outline-offset:2px;border-radius:var(--radius-sm)}
code{font-family:var(--font-mono);font-size:var(--text-sm);background:var(--color-sunken);border-radius:var(--radius-sm);padding:.1rem .35rem;overflow-wrap:anywhere}
.block{display:block;padding:.625rem .75rem;line-height:1.3rem;margin-top:.375rem}
.bytes{overflow-wrap:normal}
.note{background:var(--color-warning-soft);color:var(--color-warning-ink);border-radius:var(--radius-md);padding:.75rem 1rem}
.note code{background:none;padding:0}
details{border-top:1px solid var(--color-line)}
details:last-of-type{border-bottom:1px solid var(--color-line)}
summary{cursor:pointer;padding:.75rem .25rem;font-weight:500}
summary:hover{background:var(--color-hover)}
details ol,details ul{margin:0;padding:0 .25rem 1rem 1.5rem;display:grid;gap:.5rem}
.phone{display:flex;flex-wrap:wrap;gap:1.25rem;align-items:center}
.phone>div{flex:1 1 14rem}
.qr{flex:none;width:11rem;height:11rem;border-radius:var(--radius-md);display:block}
`
