import type { SignerValues } from "../values.ts";
import { given, type KeyService } from "./key-service.ts";

export const AWS_KMS: KeyService = {
  custodian: "AWS KMS",
  addressField: "endpoint",
  defaultAddress: (values) => `https://kms.${values.text("region")}.${domainOf(values.text("region"))}`,
  ambientSecret: (values) => AMBIENT[values.text("awsLogin")],
  open: (library, values, options) =>
    library.awsKmsSigner({
      keyId: values.text("keyId"),
      region: values.text("region"),
      ...given("endpoint", values.text("endpoint")),
      credentials: credentialsOf(values),
      ...options,
    }),
};

/** Of AWS's partitions, by the beginning of a region's name. */
const DOMAINS: ReadonlyArray<[beginning: string, domain: string]> = [
  ["cn-", "amazonaws.com.cn"],
  ["eusc-", "amazonaws.eu"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
  ["us-isof-", "csp.hci.ic.gov"],
];

function domainOf(region: string): string {
  return DOMAINS.find(([beginning]) => region.startsWith(beginning))?.[1] ?? "amazonaws.com";
}

const AMBIENT: Readonly<Record<string, string>> = {
  environment: "The access key of the environment",
  host: "The role of this machine",
};

function credentialsOf(values: SignerValues) {
  const login = values.text("awsLogin");
  if (login === "environment" || login === "host") return login;
  return {
    accessKeyId: values.secret("awsAccessKeyId"),
    secretAccessKey: values.secret("awsSecretAccessKey"),
    ...given("sessionToken", values.secret("awsSessionToken")),
  };
}
