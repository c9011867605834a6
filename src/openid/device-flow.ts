import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { clientOf, type ClientInfo } from '../edge/client-address.ts'
import { visits, type DeviceStep } from './visit.ts'

/** The route renders the page: it knows the language. */
function show (ctx: KoaContextWithOIDC, step: DeviceStep) {
  const visit = visits.getStore()
  if (visit) visit.device = step
  ctx.body = ''
}

/** Where the sign-in was begun. */
function deviceInfo () {
  const visit = visits.getStore()
  return visit ? { ...clientOf(visit.request) } : {}
}

/** Sign-in on a device without a browser: RFC 8628. The user enters its code in a browser. */
export const DEVICE_FLOW: NonNullable<Configuration['features']>['deviceFlow'] = {
  enabled: true,
  charset: 'base-20',
  mask: '****-****',
  deviceInfo,
  userCodeInputSource: (ctx, _form, _out, error) => show(ctx, { page: 'enter', problem: error?.name }),
  userCodeConfirmSource: (ctx, _form, client, from, code) => show(ctx, {
    page: 'confirm',
    code,
    clientId: client.clientId,
    asked: ctx.oidc.entities.DeviceCode?.params ?? {},
    from: from as unknown as ClientInfo,
  }),
  successSource: ctx => show(ctx, { page: 'done', application: ctx.oidc.client?.clientName ?? '' }),
}
