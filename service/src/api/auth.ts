import { createHash, timingSafeEqual } from "node:crypto";

/** Whether an `Authorization` header carries the key. Takes as long for a wrong key as for the right one. */
export function isAuthorized(header: string | undefined, apiKey: string): boolean {
  const given = /^Apikey (\S+)$/.exec(header ?? "")?.[1] ?? "";
  return timingSafeEqual(sha256(given), sha256(apiKey));
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
