import { hash, timingSafeEqual } from "node:crypto";

/** Whether an `Authorization` header carries one of the keys. It takes the same time for a wrong key. */
export function isAuthorized(header: string | undefined, apiKeys: readonly string[]): boolean {
  const given = sha256(/^Apikey (\S+)$/.exec(header ?? "")?.[1] ?? "");
  return apiKeys.filter((key) => timingSafeEqual(given, sha256(key))).length > 0;
}

function sha256(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
