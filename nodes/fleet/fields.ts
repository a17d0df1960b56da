import { COMMON } from "../common/shared/common-fields.ts";
import { describeNode, type SettingsOf } from "../common/shared/fields.ts";
import { isNamespace, isSentinelList } from "./checks.ts";

const BY_SENTINEL = { servers: "sentinel" };

export const NODE = describeNode({
  type: "crec-fleet",
  version: 1,
  fields: {
    name: COMMON.name,
    /** With user and password. Empty: the environment variable CREC_FLEET_URL. */
    url: { kind: "credential", icon: "database", placeholder: true, hint: true },
    /** `sentinel`: the host of the URL is not used, since sentinels say which server is the master. */
    servers: {
      kind: "select",
      icon: "server",
      options: ["url", "sentinel"],
      default: "url",
      explained: true,
    },
    /** `host:port`, separated by commas, spaces or new lines. */
    sentinels: {
      kind: "text",
      icon: "sitemap",
      lines: 3,
      monospace: true,
      placeholder: { text: "sentinel-a:26379" },
      required: true,
      check: isSentinelList,
      shown: BY_SENTINEL,
    },
    /** The name under which the sentinels know the master. */
    master: {
      kind: "text",
      icon: "bookmark",
      placeholder: { text: "mymaster" },
      required: true,
      shown: BY_SENTINEL,
    },
    sentinelPassword: { kind: "credential", icon: "key", placeholder: true, shown: BY_SENTINEL },
    /** Also decides whether the certificate is checked, unless the URL asks for it. */
    tls: { kind: "config", type: "tls-config", required: false, icon: "lock", hint: true },
    /** How long a copy that no longer answers keeps its channels. */
    lease: {
      kind: "number",
      icon: "hourglass-half",
      unit: "common.label.seconds",
      default: "15",
      least: 0.5,
      hint: true,
      error: "fleet.error.lease",
    },
    /** Copies with different namespaces share nothing. */
    namespace: { kind: "text", icon: "object-group", placeholder: true, hint: true, check: isNamespace },
    test: { kind: "button", icon: "plug", result: true },
  },
});

export type FleetDef = SettingsOf<typeof NODE>;
