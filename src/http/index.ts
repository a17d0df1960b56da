export { type Answer, answerDetails, excerpt, keyRefusal, readAnswer, tryParse } from "./answer.ts";
export { bounded, reasonOf } from "./bounded.ts";
export type { Call, CallOptions } from "./call.ts";
export { baseUrlOf, type QueryParameters } from "./call.ts";
export { Lane } from "./call-queue.ts";
export { openSocketPool } from "./dispatcher.ts";
export {
  AbortedError,
  AuthenticationError,
  BadResponseError,
  BudgetError,
  ClientClosedError,
  ConflictError,
  HttpError,
  type HttpErrorDetails,
  NetworkError,
  NotFoundError,
  RateLimitError,
  ServiceError,
  TimeoutError,
  ValidationError,
} from "./errors.ts";
export { heldUpSentence } from "./faults.ts";
export type { Hop } from "./hops.ts";
export { ACCEPT_ENCODING, readText } from "./inflate.ts";
export { type Mask, maskOf } from "./masking.ts";
export { networkError } from "./network-errors.ts";
export { type ProxySettings, proxyFor, type UsedProxy, withProxy } from "./proxy.ts";
export { retryAfterMs } from "./retry.ts";
export { clockDifference } from "./service-clock.ts";
export type { HttpDispatcher, OutgoingRequest, SocketPool, TlsSettings } from "./socket-pool.ts";
export { Transport } from "./transport.ts";
export type { Hooks, RequestInfo, ResponseInfo, TransportOptions } from "./transport-options.ts";
export {
  CALL_OPTIONS,
  callOf,
  callOptions,
  proxyKind,
  TRANSPORT_OPTIONS,
  tlsKind,
} from "./transport-options.ts";
export { VERSION } from "./version.ts";
