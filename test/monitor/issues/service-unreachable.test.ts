import should from "should";
import type { ConnectionReport } from "../../../nodes/common/telemetry/types.ts";
import { CHECKS } from "../../../plugins/monitor/issues/checks/index.ts";
import { node, SERVICE, sceneOf, TAB } from "./scene.ts";

const nodes = [
  TAB,
  { id: "connection", type: "crec-connection" },
  node("crec-api", "api", { connection: "connection" }),
];

describe("a service that does not answer, or refuses the key", () => {
  /** The checks that find an issue of the connection, in the order of the list. */
  const foundBy = async (state: ConnectionReport["state"], id = "connection") => {
    const scene = await sceneOf({ nodes });
    const origin = { node: id, flow: "", type: "crec-connection", label: "our service" };
    const problem = { code: "CODE", message: "It is so." };
    const numbers = { since: 0, callsLastMinute: 1, budget: undefined };
    scene.activity.connections.add(() => ({ ...origin, ...numbers, baseUrl: SERVICE, state, problem }));
    const all = await Promise.all(
      CHECKS.map(async (check) => {
        const found = await check.find(scene);
        return found.map(({ severity, values }) => ({ check: check.name, severity, values }));
      }),
    );
    return all.flat().filter(({ values }) => values?.connection === "our service");
  };

  it("is the first of all issues, with what is wrong", async () => {
    const values = { connection: "our service", reason: "It is so." };
    should(await foundBy("unreachable")).deepEqual([
      { check: "service-unreachable", severity: "error", values },
    ]);
    should(await foundBy("refused")).deepEqual([{ check: "api-key", severity: "error", values }]);
    should(CHECKS.slice(0, 2).map(({ name }) => name)).deepEqual(["service-unreachable", "api-key"]);
  });

  it("is none where it answers, where nobody has asked, or where no running node uses the connection", async () => {
    should(await foundBy("ok")).be.empty();
    should(await foundBy("unused")).be.empty();
    should(await foundBy("unreachable", "deleted")).be.empty();
  });
});
