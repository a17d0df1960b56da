import { NODE } from "../fields.ts";
import type { SignerValues } from "../values.ts";
import type { KeyService } from "./key-service.ts";

export const REMOTE: KeyService = {
  custodian: "The remote signer",
  mayAskPerson: true,
  addressField: "remoteUrl",
  defaultAddress: () => "",
  open: (library, values, options) =>
    library.remoteSigner({
      url: values.text("remoteUrl"),
      ...protocolOf(values),
      ...authorizationOf(values),
      ...options,
    }),
};

function protocolOf(values: SignerValues) {
  if (values.text("remoteProtocol") === "eth1-sign") {
    return { protocol: "eth1-sign", identifier: values.text("remoteIdentifier") } as const;
  }
  const chosen = METHODS.find((one) => one === values.text("remoteMethod"));
  const method = chosen === "automatic" ? undefined : chosen;
  const address = values.text("remoteAccount");
  return { protocol: "json-rpc", address, ...(method ? { method } : {}) } as const;
}

const METHODS = NODE.fields.remoteMethod.options;

function authorizationOf(values: SignerValues) {
  switch (values.text("remoteLogin")) {
    case "bearer":
      return { authorization: { bearer: values.secret("remoteToken") } };
    case "password":
      return {
        authorization: { user: values.text("remoteUser"), password: values.secret("remotePassword") },
      };
    default:
      return {};
  }
}
