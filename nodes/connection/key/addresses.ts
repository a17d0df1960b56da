import { PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL } from "../../../src/protocol/limits.ts";
import type { Setting } from "../../common/keys/destination.ts";
import * as common from "../../common/keys/destination.ts";

/** Where the API key of a connection would be sent. */
export type Destination = Omit<common.Destination, "urls"> & {
  baseUrl: Setting;
  /** Empty without an account URL. */
  graphqlUrl: Setting;
};

/** Everything that can read a key which is sent, for comparing. */
export function addressesOf(destination: Destination): string[] {
  return common.addressesOf(withUrls(destination));
}

/** The first address that a key from the environment must not be sent to. */
export function strayAddress(
  destination: Destination,
  environment: Readonly<Record<string, string | undefined>>,
): Setting | undefined {
  return common.strayAddress(withUrls(destination), environment, [PUBLIC_BASE_URL, PUBLIC_GRAPHQL_URL]);
}

/** The same as for any secret. */
export function withUrls({ baseUrl, graphqlUrl, ...way }: Destination): common.Destination {
  return { urls: [baseUrl, graphqlUrl], ...way };
}
