import fc from "fast-check";
import should from "should";
import { FIELD_TABLES } from "../../../plugins/monitor/diagnostics/field-tables.ts";
import { showValue, treatmentOf } from "../../../plugins/monitor/diagnostics/shown-fields.ts";
import { canary, spellings, wayIn } from "./canaries.ts";

const fields = [...FIELD_TABLES].flatMap(([type, node]) =>
  Object.entries(node.fields).map(([name, field]) => ({ type, name, field })),
);

function shown(type: string, name: string, value: unknown, stored?: string) {
  const field = FIELD_TABLES.get(type)?.fields[name];
  if (!field) throw new Error(`there is no field ${type}.${name}`);
  const labelOf = (id: string) => (id === "known" ? "connection #1" : undefined);
  return showValue(treatmentOf(type, name, field), { field, value, type: stored, labelOf });
}

describe("a setting in diagnostics", () => {
  it("shows choices, switches, numbers and durations as they are", () => {
    should(shown("crec-events-in", "commit", "on-ack")).equal("on-ack");
    should(shown("crec-events-in", "types", ["watcher.event", "query.status"])).equal(
      "watcher.event, query.status",
    );
    should(shown("crec-events-in", "verify", true)).equal(true);
    should(shown("crec-events-in", "inputs", 1)).equal(true);
    should(shown("crec-connection", "timeout", "0.5")).equal("0.5");
    should(shown("crec-alert", "within", "10m")).equal("10m");
  });

  it("shows of other values only what they are like", () => {
    should(shown("crec-channel", "channel", "Jane's payments")).equal("(15 characters)");
    should(shown("crec-api", "path", "x", "jsonata")).equal("(jsonata, 1 character)");
    should(shown("crec-connection", "validSigners", "0x1, 0x2\n0x3")).equal("(3 entries)");
    should(shown("crec-connection", "apiKey", "secret")).equal("(set)");
    should(shown("crec-connection", "apiKey", "$" + "{CREC_API_KEY}")).equal("(a variable)");
    should(shown("crec-connection", "baseUrl", "https://cre-connect.api.chain.link/v1")).equal(
      "(the public service)",
    );
    should(shown("crec-connection", "baseUrl", "http://localhost:8787")).equal("(http, a local address)");
    should(shown("crec-connection", "baseUrl", "https://jane.acme.com")).equal("(https, another address)");
    should(shown("crec-connection", "baseUrl", "http://crec-service:8787")).equal("(http, a local address)");
    should(shown("crec-channel", "connection", "known")).equal("connection #1");
    should(shown("crec-channel", "connection", "jane")).equal("(not deployed)");
    should(shown("crec-connection", "name", "Jane")).equal(undefined);
  });

  it("shows no secret and no person, in whichever field a flow has it", () => {
    const place = fc.constantFrom(...fields);
    const typed = fc.constantFrom(undefined, "str", "Jane");
    fc.assert(
      fc.property(place, canary, wayIn, typed, fc.boolean(), ({ type, name }, value, way, stored, isList) => {
        // A number field of a flow shows its number.
        fc.pre(!/^\d{1,20}$/.test(value));
        const given = isList ? [way(value)] : way(value);
        const text = String(shown(type, name, given, stored));
        for (const spelling of spellings) should(text).not.containEql(spelling(value));
        should(text).not.containEql("Jane");
      }),
      { numRuns: 3_000 },
    );
  });
});
