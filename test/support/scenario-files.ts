import { privateKeyToAddress } from "viem/accounts";
import { parseEventFile, type ReadEventFile } from "../../rehearsal/parent/events/event-file.ts";
import { OracleNetwork } from "../../service/src/oracles/network.ts";
import { type Origin, scenarioText } from "../../service/src/scenarios/generate.ts";
import type { ScenarioName } from "../../service/src/scenarios/stories.ts";
import { workflowOwnerFromOrgId } from "../../src/proofs/report.ts";
import { yieldToEventLoop } from "../../src/timing/clock.ts";

const ACCOUNT = { orgId: "org_local", creTenantId: "1" };
const ORACLES = 7;

/** A service that does not run: its keys, addresses and chain are the same each time. */
const ORIGIN: Origin = {
  network: {
    id: "11111111-1111-4111-8111-111111111111",
    name: "Local anvil",
    ...{ chain_selector: "7759470850252068959", chain_id: "31337", chain_family: "evm", type: "testnet" },
    ...{ default_confidence_level: "finalized", created_at: 1, updated_at: 1 },
  },
  confidences: ["latest", "finalized"],
  contracts: { DemoToken: addressOf("1"), GuardedToken: addressOf("2"), SensorRegistry: addressOf("3") },
  admin: addressOf("4"),
  oracles: new OracleNetwork(
    Array.from({ length: ORACLES }, (_, index) => {
      const privateKey = `0x${String(index + 1).padStart(64, "0")}` as const;
      return { privateKey, address: privateKeyToAddress(privateKey) };
    }),
    workflowOwnerFromOrgId(ACCOUNT.orgId, ACCOUNT.creTenantId),
  ),
  service: "http://127.0.0.1:8787",
  verification: ACCOUNT,
};

/** A file of a scenario without a running service. */
export async function scenarioOf(name: ScenarioName, seed: number): Promise<ReadEventFile> {
  return parseEventFile(await scenarioTextOf(name, seed));
}

/** The text of that file. */
export async function scenarioTextOf(name: ScenarioName, seed: number): Promise<string> {
  let text = "";
  for await (const piece of scenarioText({ name, seed }, ORIGIN, yieldToEventLoop)) text += piece;
  return text;
}

/** The variables of the example flows, so that they accept the events of these files. */
export const SCENARIO_VARIABLES: Readonly<Record<string, string>> = {
  CREC_BASE_URL: ORIGIN.service,
  CREC_GRAPHQL_URL: `${ORIGIN.service}/graphql`,
  CREC_ORG_ID: ACCOUNT.orgId,
  CREC_TENANT_ID: ACCOUNT.creTenantId,
  CREC_VALID_SIGNERS: ORIGIN.oracles.signers.join(","),
  CREC_MIN_SIGNATURES: String(ORIGIN.oracles.minRequiredSignatures),
  CREC_CHAIN_SELECTOR: ORIGIN.network.chain_selector,
  CREC_CHAIN_ID: ORIGIN.network.chain_id,
  CREC_TOKEN_ADDRESS: ORIGIN.contracts.DemoToken,
  CREC_GUARDED_TOKEN_ADDRESS: ORIGIN.contracts.GuardedToken,
  CREC_SENSOR_REGISTRY_ADDRESS: ORIGIN.contracts.SensorRegistry,
};

function addressOf(digit: string): `0x${string}` {
  return `0x${digit.repeat(40)}`;
}
