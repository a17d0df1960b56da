import type { SignerValues } from "../values.ts";
import { given, type KeyService } from "./key-service.ts";

export const VAULT: KeyService = {
  custodian: "Vault",
  addressField: "vaultUrl",
  defaultAddress: () => "",
  ambientSecret: (values) =>
    values.text("vaultLogin") === "kubernetes" ? "The token of this pod" : undefined,
  inside: (values) => {
    const namespace = values.text("vaultNamespace").replace(/^\/|\/$/g, "");
    return namespace === "" ? [] : [`the namespace ${namespace}`];
  },
  open: (library, values, options) =>
    library.vaultSigner({
      url: values.text("vaultUrl"),
      ...given("namespace", values.text("vaultNamespace")),
      ...given("mount", values.text("vaultMount")),
      key: values.text("vaultKey"),
      keyVersion: Number(values.text("vaultKeyVersion")),
      login: loginOf(values),
      ...options,
    }),
};

function loginOf(values: SignerValues) {
  const mount = given("mount", values.text("vaultLoginMount"));
  switch (values.text("vaultLogin")) {
    case "approle": {
      const [roleId, secretId] = [values.text("vaultRoleId"), values.secret("vaultSecretId")];
      return { method: "approle", roleId, secretId, ...mount } as const;
    }
    case "kubernetes":
      return { method: "kubernetes", role: values.text("vaultRole"), ...mount } as const;
    default:
      return { method: "token", token: values.secret("vaultToken") } as const;
  }
}
