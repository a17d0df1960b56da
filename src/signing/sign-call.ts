import {
  anyText,
  callable,
  checkedBy,
  jsonObject,
  type Kind,
  like,
  optional,
  options,
  signal,
} from "../options/index.ts";
import type { Hex } from "../protocol/index.ts";
import { requireDigest } from "./digest.ts";
import type { SignOptions, SignRequest } from "./signer.ts";

const digest = checkedBy((value: Hex) => requireDigest(value));
const digestRequest = like<Pick<SignRequest, "digest"> & Partial<SignRequest>>({
  digest,
  preimage: optional(anyText()),
});
const wholeRequest = like<SignRequest>({
  digest,
  preimage: anyText(),
  typedData: jsonObject as Kind<never>,
});

const signOptions = options<SignOptions>({ signal: optional(signal), onState: optional(callable()) });

/**
 * The options of the `sign` of a signer, checked, with the part of the request that it uses.
 * @throws {ArgumentError}
 */
export function signCall(
  request: unknown,
  given: SignOptions | undefined,
  uses: "digest" | "all",
): SignOptions {
  if (uses === "digest") digestRequest(request, "request");
  else wholeRequest(request, "request");
  return signOptions(given);
}
