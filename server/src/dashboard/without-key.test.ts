import { expect, it } from 'vitest'
import { withoutKey } from './without-key.ts'

it.each([
  ['rtmp://live.example.com/app/key', 'rtmp://live.example.com/app/…'],
  ['RTMPS://live.example.com:443/app/instance/key?auth=1', 'rtmps://live.example.com:443/app/…'],
  ['rtmp://user:secret@live.example.com/app/key', 'rtmp://live.example.com/app/…'],
  ['rtmp://live.example.com/key', 'rtmp://live.example.com/…'],
  ['rtmp://live.example.com/key?auth=1', 'rtmp://live.example.com/…'],
  ['rtmp://live.example.com', 'rtmp://live.example.com/…'],
])('%s is shown as %s', (url, shown) => expect(withoutKey(url)).toBe(shown))
