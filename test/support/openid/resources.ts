import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export const ORDERS = 'https://api.example.org/orders'
export const REPORTS = 'https://api.example.org/reports'
export const VAULT = 'https://vault.example.org'

/** Three APIs: two that verify tokens themselves, and one that asks for each. */
export const RESOURCES = {
  OPENID_RESOURCES: 'orders,reports,vault',
  OPENID_RESOURCE_ORDERS_URI: ORDERS,
  OPENID_RESOURCE_ORDERS_DESCRIPTION: 'Your orders at Example',
  OPENID_RESOURCE_ORDERS_SCOPES: 'orders:read=See your orders; orders:write=Cancel your orders',
  OPENID_RESOURCE_REPORTS_URI: REPORTS,
  OPENID_RESOURCE_REPORTS_DESCRIPTION: 'Reports',
  OPENID_RESOURCE_REPORTS_SCOPES: 'reports:read',
  OPENID_RESOURCE_VAULT_URI: VAULT,
  OPENID_RESOURCE_VAULT_DESCRIPTION: 'Your documents',
  OPENID_RESOURCE_VAULT_SCOPES: 'vault:read=See your documents; vault:write=Change your documents',
  OPENID_RESOURCE_VAULT_TOKENS: 'opaque',
}

/** A server on a port of its own. Returns its address. */
export async function listen (t: Test, handle: RequestListener): Promise<string> {
  const server = createServer(handle)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
