import { signRequestOf } from "../../../src/signing/index.ts";

/** An operation that any key service can be asked to sign: a call without arguments. */
export const operation = {
  id: "7",
  account: "0x1111111111111111111111111111111111111111",
  deadline: "0",
  transactions: [{ to: "0x2222222222222222222222222222222222222222", value: "1", data: "0xa9059cbb" }],
} as const;

export const request = signRequestOf(operation, 31337);
