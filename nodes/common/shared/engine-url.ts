const URL_OF_ENGINE = /^(?:postgres|postgresql|redis|rediss):\/\/\S+$/;

/** Whether a URL names an engine of shared state. The rest of it is for the engine's client to judge. */
export function isEngineUrl(text: string): boolean {
  return URL_OF_ENGINE.test(text);
}

/** Only Redis has sentinels. */
export function isRedisUrl(text: string): boolean {
  return /^rediss?:/.test(text);
}

/** Whether a URL says that there is no TLS. */
export function isWithoutTls(text: string): boolean {
  return /^redis:|[?&]sslmode=disable(?:&|$)/.test(text);
}

/** Whether the URL of a Redis asks for TLS, to its sentinels too. */
export function isWithTls(text: string): boolean {
  return text.startsWith("rediss:");
}
