import { createHash } from "node:crypto";

/** 32 bytes that look random, and are the same for the same seed and purpose. Anyone who knows the seed can compute them. */
export function seededBytes(seed: number, purpose: string): Buffer {
  return createHash("sha256").update(`local service, seed ${seed}, ${purpose}`).digest();
}
