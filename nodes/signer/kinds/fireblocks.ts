import { derivationPathIn } from "../checks.ts";
import type { SignerValues } from "../values.ts";
import { given, type KeyService } from "./key-service.ts";

export const FIREBLOCKS: KeyService = {
  custodian: "Fireblocks",
  mayAskPerson: true,
  addressField: "fireblocksUrl",
  defaultAddress: () => "https://api.fireblocks.io",
  otherAddresses: [
    "https://sandbox-api.fireblocks.io",
    "https://eu-api.fireblocks.io",
    "https://eu2-api.fireblocks.io",
  ],
  open: (library, values, options) =>
    library.fireblocksSigner({
      ...given("url", values.text("fireblocksUrl")),
      apiKey: values.secret("fireblocksApiKey"),
      privateKey: values.secret("fireblocksKey"),
      source: sourceOf(values),
      sends: values.text("fireblocksSends") === "typed-data" ? "typed-data" : "digest",
      ...given("note", values.text("fireblocksNote")),
      ...options,
    }),
};

function sourceOf(values: SignerValues) {
  return values.text("fireblocksSource") === "derivation-path"
    ? { derivationPath: derivationPathIn(values.text("derivationPath")) }
    : { vaultAccountId: values.text("vaultAccountId"), assetId: values.text("assetId") };
}
