import type { Page } from 'playwright-core'

/** A slide, as somebody may share it. */
const SLIDE = `<svg xmlns="http://www.w3.org/2000/svg" width="1920" height="1080" font-family="sans-serif">
  <rect width="1920" height="1080" fill="#fbfbf8"/><rect width="1920" height="14" fill="#2a6f97"/>
  <text x="120" y="170" font-size="72" font-weight="700" fill="#1b2a33">Spring release: what we learned</text>
  <text x="120" y="240" font-size="36" fill="#5b6b75">People who finish their first project, per cent</text>
  <g stroke="#dfe5e8" stroke-width="3"><path d="M120 900h1000M120 760h1000M120 620h1000M120 480h1000"/></g>
  <g fill="#9dc4dc"><rect x="180" y="640" width="110" height="260" rx="8"/><rect x="380" y="600" width="110" height="300" rx="8"/>
  <rect x="580" y="560" width="110" height="340" rx="8"/></g>
  <g fill="#2a6f97"><rect x="780" y="450" width="110" height="450" rx="8"/><rect x="980" y="380" width="110" height="520" rx="8"/></g>
  <g font-size="34" fill="#5b6b75" text-anchor="middle"><text x="235" y="955">Jan</text><text x="435" y="955">Feb</text>
  <text x="635" y="955">Mar</text><text x="835" y="955">Apr</text><text x="1035" y="955">May</text></g>
  <g font-size="34" font-weight="700" fill="#1b2a33" text-anchor="middle"><text x="235" y="620">34</text><text x="435" y="580">39</text>
  <text x="635" y="540">43</text><text x="835" y="430">58</text><text x="1035" y="360">66</text></g>
  <g font-size="42" fill="#1b2a33"><text x="1230" y="430">The guided start is used by</text><text x="1230" y="486">four of five new teams.</text>
  <text x="1230" y="600">Support asks fell by a third.</text><text x="1230" y="714">Next: invite a colleague</text>
  <text x="1230" y="770">in the first session.</text></g>
  <g fill="#e9a23b"><circle cx="1195" cy="416" r="11"/><circle cx="1195" cy="586" r="11"/><circle cx="1195" cy="700" r="11"/></g>
</svg>`

/** Lets "Share your screen" share a slide. To be called before the page is opened. */
export async function sharesSlide(page: Page): Promise<void> {
  await page.addInitScript((slide) => {
    navigator.mediaDevices.getDisplayMedia = async () => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 1920, height: 1080 })
      const context = canvas.getContext('2d')!
      const image = new Image()
      image.src = URL.createObjectURL(new Blob([slide], { type: 'image/svg+xml' }))
      await image.decode()
      setInterval(() => context.drawImage(image, 0, 0), 100)
      return canvas.captureStream(10)
    }
  }, SLIDE)
}
