import { createHash, timingSafeEqual } from "node:crypto";
import type { NodeAPI } from "node-red";

/** Lets a request pass, or answers it with 401. */
export type Guard = ReturnType<NodeAPI["auth"]["needsPermission"]>;

/** For a request with this bearer token, and for those that `others` lets pass; all others are answered with 401. */
export function tokenGuard(token: string, others: Guard | undefined): Guard {
  const expected = digest(token);
  return (request, response, next) => {
    const [, sent] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "") ?? [];
    // In constant time, so that the time of an answer says nothing about the token.
    if (sent !== undefined && timingSafeEqual(digest(sent), expected)) return next();
    if (others !== undefined) return others(request, response, next);
    response.set("WWW-Authenticate", 'Bearer realm="crec"').sendStatus(401);
  };
}

/** Of equal length for every text, as the comparison needs it. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
