import type { CustodyOptions, CustodySigner } from "../../../src/index.ts";
import type { Library } from "../../common/library.ts";
import type { PlainName, SignerValues } from "../values.ts";

/** A kind of signer whose key is in a key service. */
export type KeyService = {
  /** As people call it. */
  custodian: string;
  /** A signature may wait for a person, so nothing is to wait for it. */
  mayAskPerson?: true;
  /** The field with the address that secrets are sent to. */
  addressField: PlainName;
  /** The address while that field is empty; empty if the kind has no such address. */
  defaultAddress(values: SignerValues): string;
  /** Other addresses of the provider. What the environment holds may be sent to these, too. */
  otherAddresses?: readonly string[];
  /** What the environment or the machine supplies in place of a secret in the form, as people call it. */
  ambientSecret?(values: SignerValues): string | undefined;
  /** What else decides who receives a secret, such as a namespace. */
  inside?(values: SignerValues): string[];
  open(library: Library, values: SignerValues, options: CustodyOptions): Promise<CustodySigner>;
};

/** An option that is left out while its field is empty. */
export function given<Name extends string>(name: Name, value: string): Partial<Record<Name, string>> {
  return value === "" ? {} : ({ [name]: value } as Record<Name, string>);
}
