export { type Answer, answerDetails, excerpt, keyRefusal, readAnswer, tryParse } from "./answer.ts";
export { bounded, reasonOf } from "./bounded.ts";
export type { HttpDispatcher, OutgoingRequest, TlsSettings } from "./dispatcher.ts";
export {
  AbortedError,
  AuthenticationError,
  BadResponseError,
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
export type { Hooks, RequestInfo, ResponseInfo } from "./hooks.ts";
export type { ProxySettings } from "./proxy.ts";
export { backoffMs } from "./retry.ts";
export { baseUrlOf, timeoutOf } from "./settings.ts";
export {
  type Call,
  type CallOptions,
  type QueryParameters,
  Transport,
  type TransportOptions,
} from "./transport.ts";
export { VERSION } from "./version.ts";
