import { ADDRESS } from "../common/shared/address.ts";
import { signersIn } from "../common/shared/verification-set-up.ts";

/** Whether a text holds addresses, with commas, spaces or new lines between them. */
export function areSigners(text: string): boolean {
  const addresses = signersIn(text);
  return addresses.length > 0 && addresses.every((address) => ADDRESS.test(address));
}

/** Whether a text is a number of signatures. */
export function isThreshold(text: string): boolean {
  return /^[1-9]\d*$/.test(text);
}
