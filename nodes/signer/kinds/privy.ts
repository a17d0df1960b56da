import { given, type KeyService } from "./key-service.ts";

export const PRIVY: KeyService = {
  custodian: "Privy",
  addressField: "privyUrl",
  defaultAddress: () => "https://api.privy.io",
  open: (library, values, options) =>
    library.privySigner({
      ...given("url", values.text("privyUrl")),
      appId: values.text("privyAppId"),
      appSecret: values.secret("privyAppSecret"),
      walletId: values.text("privyWalletId"),
      ...given("authorizationKey", values.secret("privyAuthorizationKey")),
      sends: values.text("privySends") === "typed-data" ? "typed-data" : "digest",
      ...options,
    }),
};
