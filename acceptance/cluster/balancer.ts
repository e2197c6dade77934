import { Haproxy } from './haproxy.ts'

/**
 * Starts HAProxy before nodes: each new connection goes to the next one that is ready. TLS ends at the nodes. Open connections
 * stay: while the database is away no node is ready, and meetings go on.
 * @param nodes name, and address and port, of each
 */
export const startBalancer = (port: number, nodes: ReadonlyMap<string, string>): Promise<Haproxy> =>
  Haproxy.start(configuration(port, nodes), { host: '127.0.0.1', port })

function configuration(port: number, nodes: ReadonlyMap<string, string>): string {
  const servers = [...nodes].map(([name, place]) => `  server ${name} ${place} check check-ssl verify none`)
  return `  retries 3
  option redispatch 1
frontend all
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /readyz
  default-server inter 500ms fall 2 rise 1
${servers.join('\n')}
`
}
