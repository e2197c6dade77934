import { expect, it } from 'vitest'
import { readRtmpAddress } from './rtmp-address.ts'

it.each([
  ['rtmp://h/app/key', { app: 'app', streamName: 'key', credentials: '', tcUrl: 'rtmp://h/app' }],
  ['RTMPS://h:443/app/key?a=b/c', { app: 'app', streamName: 'key?a=b/c', tcUrl: 'rtmps://h:443/app' }],
  ['rtmp://h/app/instance/key', { app: 'app/instance', streamName: 'key', tcUrl: 'rtmp://h/app/instance' }],
  ['rtmp://h/app/instance/key/more', { app: 'app/instance', streamName: 'key/more' }],
  ['rtmp://h/app/mp4:folder/key', { app: 'app', streamName: 'mp4:folder/key' }],
  ['rtmp://u:p@w@h/app/key', { credentials: 'u:p@w@', tcUrl: 'rtmp://h/app' }],
  ['rtmp://h/app/key?a=b:c?d', { app: 'app', streamName: 'key?a=b:c?d' }],
  ['rtmp://h/app?a=b', { app: 'app', streamName: '?a=b' }],
  ['rtmp://h/app', { app: 'app', streamName: '' }],
  ['rtmp://h', { app: '', streamName: '', tcUrl: 'rtmp://h/' }],
  ['rtmp://h/app/key#fragment', { streamName: 'key' }],
  ['rtmp://[2001:db8::1]:1935/app/key', { tcUrl: 'rtmp://[2001:db8::1]:1935/app' }],
])('%s is taken apart', (url, expected) => {
  expect(readRtmpAddress(url)).toMatchObject(expected)
})
