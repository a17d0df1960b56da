import { KEY_ENDS_SOON_MS } from "../../../../nodes/common/shared/key-term.ts";
import type { Check, Finding } from "../check.ts";

const DAY_MS = 86_400_000;

/** The service refuses a key, or the key expires soon. */
export const apiKey: Check = {
  name: "api-key",
  find: ({ flows, activity, now }) =>
    activity.connections.reports().flatMap((report): Finding[] => {
      const { baseUrl, state, since, problem, callsLastMinute, budget, keyExpiresAt, ...origin } = report;
      if (!flows.get(origin.node)) return [];
      const values = { connection: origin.label, reason: problem?.message ?? "" };
      if (state === "refused") return [{ case: "refused", severity: "error", origin, values }];
      if (keyExpiresAt === undefined || keyExpiresAt - now > KEY_ENDS_SOON_MS) return [];
      const count = Math.max(1, Math.ceil((keyExpiresAt - now) / DAY_MS));
      const date = new Date(keyExpiresAt).toISOString().slice(0, 10);
      return keyExpiresAt <= now
        ? [{ case: "expired", severity: "error", origin, values: { ...values, date } }]
        : [{ case: "expires", severity: "warning", origin, values: { ...values, date, count } }];
    }),
};
