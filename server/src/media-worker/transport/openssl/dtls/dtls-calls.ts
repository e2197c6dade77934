import { bind, POINTER } from '../native.ts'

type OnePointer = (object: number) => number
type TwoPointers = (object: number, value: number) => number
type Transfer = (object: number, data: number, length: number) => number
type Control = (object: number, command: number, number: number, pointer: number) => number
type Free = (object: number) => void

const CONTROL = [POINTER, 'int', 'long', POINTER] as const
const TRANSFER = [POINTER, POINTER, 'int'] as const

/** Functions of libssl and of its BIOs, under their own names. */
export const ssl = {
  DTLS_method: bind<() => number>('DTLS_method', POINTER, []),
  SSL_CTX_new: bind<OnePointer>('SSL_CTX_new', POINTER, [POINTER]),
  SSL_CTX_free: bind<Free>('SSL_CTX_free', 'void', [POINTER]),
  SSL_CTX_ctrl: bind<Control>('SSL_CTX_ctrl', 'long', CONTROL),
  SSL_CTX_set_options: bind<TwoPointers>('SSL_CTX_set_options', 'uint64_t', [POINTER, 'uint64_t']),
  SSL_CTX_set_cipher_list: bind<(context: number, list: string) => number>('SSL_CTX_set_cipher_list', 'int', [
    POINTER,
    'str',
  ]),
  /** 0 for success. */
  SSL_CTX_set_tlsext_use_srtp: bind<(context: number, profiles: string) => number>(
    'SSL_CTX_set_tlsext_use_srtp',
    'int',
    [POINTER, 'str'],
  ),
  SSL_CTX_set_verify: bind<(context: number, mode: number, callback: number) => void>(
    'SSL_CTX_set_verify',
    'void',
    [POINTER, 'int', POINTER],
  ),
  SSL_CTX_set_cert_verify_callback: bind<(context: number, callback: number, argument: number) => void>(
    'SSL_CTX_set_cert_verify_callback',
    'void',
    [POINTER, POINTER, POINTER],
  ),
  SSL_new: bind<OnePointer>('SSL_new', POINTER, [POINTER]),
  SSL_free: bind<Free>('SSL_free', 'void', [POINTER]),
  SSL_use_certificate: bind<TwoPointers>('SSL_use_certificate', 'int', [POINTER, POINTER]),
  SSL_use_PrivateKey: bind<TwoPointers>('SSL_use_PrivateKey', 'int', [POINTER, POINTER]),
  SSL_set_bio: bind<(association: number, read: number, write: number) => void>('SSL_set_bio', 'void', [
    POINTER,
    POINTER,
    POINTER,
  ]),
  SSL_set_accept_state: bind<Free>('SSL_set_accept_state', 'void', [POINTER]),
  SSL_set_connect_state: bind<Free>('SSL_set_connect_state', 'void', [POINTER]),
  SSL_ctrl: bind<Control>('SSL_ctrl', 'long', CONTROL),
  /** The callback gets the association and the time before in microseconds, and returns the next one. */
  DTLS_set_timer_cb: bind<(association: number, callback: number) => void>('DTLS_set_timer_cb', 'void', [
    POINTER,
    POINTER,
  ]),
  SSL_do_handshake: bind<OnePointer>('SSL_do_handshake', 'int', [POINTER]),
  SSL_get_error: bind<(association: number, result: number) => number>('SSL_get_error', 'int', [
    POINTER,
    'int',
  ]),
  SSL_read: bind<Transfer>('SSL_read', 'int', TRANSFER),
  SSL_shutdown: bind<OnePointer>('SSL_shutdown', 'int', [POINTER]),
  SSL_get1_peer_certificate: bind<OnePointer>('SSL_get1_peer_certificate', POINTER, [POINTER]),
  SSL_get_selected_srtp_profile: bind<OnePointer>('SSL_get_selected_srtp_profile', POINTER, [POINTER]),
  SSL_export_keying_material: bind<
    (
      association: number,
      out: number,
      length: number,
      label: string,
      labelLength: number,
      context: number,
      contextLength: number,
      useContext: number,
    ) => number
  >('SSL_export_keying_material', 'int', [
    POINTER,
    POINTER,
    'size_t',
    'str',
    'size_t',
    POINTER,
    'size_t',
    'int',
  ]),
  X509_free: bind<Free>('X509_free', 'void', [POINTER]),
  BIO_new: bind<OnePointer>('BIO_new', POINTER, [POINTER]),
  BIO_free: bind<OnePointer>('BIO_free', 'int', [POINTER]),
  /** Keeps datagrams apart, which BIO_s_mem does not (OpenSSL 3.2). */
  BIO_s_dgram_mem: bind<() => number>('BIO_s_dgram_mem', POINTER, []),
  BIO_read: bind<Transfer>('BIO_read', 'int', TRANSFER),
  BIO_write: bind<Transfer>('BIO_write', 'int', TRANSFER),
}
