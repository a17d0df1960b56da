import { timingSafeEqual } from "node:crypto";

/** Says of an `Authorization` header whether it carries one of the keys. It takes the same time for a wrong key. */
export function authorization(apiKeys: readonly string[]): (header: string | undefined) => boolean {
  const accepted = apiKeys.map((key) => Buffer.from(`Apikey ${key}`));
  return (header = "") => accepted.filter((one) => isEqual(header, one)).length > 0;
}

/** Compares as many bytes as are expected, however many are given: the time does not tell how long a key is. */
function isEqual(given: string, expected: Buffer): boolean {
  const compared = Buffer.alloc(expected.length);
  compared.write(given);
  return timingSafeEqual(compared, expected) && Buffer.byteLength(given) === expected.length;
}
