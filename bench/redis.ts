import { redisPath } from "../scripts/lib/engines.mjs";

/** What stands for a figure where there is no Redis; undefined where there is one. */
export function skippedWithoutRedis(): string | undefined {
  return redisPath() === undefined ? "skipped: needs Redis or Valkey in the PATH" : undefined;
}
