import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { serviceProgram } from "../support/service-program.ts";

/** The service that is asked: where it is, and what must be known to judge it. */
export type Target = {
  baseUrl: string;
  apiKey: string;
  graphqlUrl: string | undefined;
  chainSelector: string | undefined;
  /** An ERC-20 token on the network. */
  token: string | undefined;
  /** Whether wallets may be deployed and operations sent: on a real network both cost somebody gas. */
  mayDeploy: boolean;
  verification: { workflowOwner: string; signers: string[]; threshold: number } | undefined;
  /** Longest wait for one change, in milliseconds. */
  patienceMs: number;
  close(): Promise<void>;
};

/** Blocks of real networks take minutes to be final. */
export function patienceMs(env: NodeJS.ProcessEnv): number {
  const seconds = env.CREC_CONFORMANCE_PATIENCE_S ?? (env.CREC_CONFORMANCE_BASE_URL ? "600" : "60");
  return Number(seconds) * 1000;
}

/** The one that the environment names, or else the local service, started for the purpose. */
export async function openTarget(env: NodeJS.ProcessEnv): Promise<Target> {
  const baseUrl = env.CREC_CONFORMANCE_BASE_URL;
  if (!baseUrl) return await startLocalService();
  const signers = env.CREC_CONFORMANCE_SIGNERS?.split(/[\s,]+/).filter((signer) => signer !== "");
  const workflowOwner = env.CREC_CONFORMANCE_WORKFLOW_OWNER;
  const verification =
    signers && workflowOwner
      ? { workflowOwner, signers, threshold: Number(env.CREC_CONFORMANCE_THRESHOLD ?? "4") }
      : undefined;
  return {
    baseUrl: baseUrl.replace(/\/+$/, ""),
    apiKey: env.CREC_CONFORMANCE_API_KEY ?? "",
    graphqlUrl: env.CREC_CONFORMANCE_GRAPHQL_URL || undefined,
    chainSelector: env.CREC_CONFORMANCE_CHAIN_SELECTOR || undefined,
    token: env.CREC_CONFORMANCE_ERC20 || undefined,
    mayDeploy: env.CREC_CONFORMANCE_DEPLOY === "1",
    verification,
    patienceMs: patienceMs(env),
    close: async () => {},
  };
}

type Ready = {
  base_url: string;
  graphql_url: string;
  api_key: string;
  workflow_owner: string;
  valid_signers: string[];
  min_required_signatures: number;
  chain_selector: string;
  contracts: Record<string, string>;
};

async function startLocalService(): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), "crec-conformance-"));
  const options = ["--port", "0", "--data-dir", folder, "--block-time", "50", "--local"];
  const child = spawn(process.execPath, [serviceProgram, ...options, "--watch-parent"], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: { PATH: process.env.PATH, CREC_LOG_LEVEL: "error" },
  });
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const ready = await readyLine(child);
  if (ready === undefined) {
    await close();
    throw new Error("The local service ended before it was ready; what it said is above.");
  }
  return {
    baseUrl: ready.base_url,
    apiKey: ready.api_key,
    graphqlUrl: ready.graphql_url,
    chainSelector: ready.chain_selector,
    token: ready.contracts.DemoToken,
    mayDeploy: true,
    verification: {
      workflowOwner: ready.workflow_owner,
      signers: ready.valid_signers,
      threshold: ready.min_required_signatures,
    },
    patienceMs: patienceMs({}),
    close,
  };
}

async function readyLine(child: ChildProcess): Promise<Ready | undefined> {
  if (child.stdout === null) return undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("ready ")) return JSON.parse(line.slice("ready ".length)) as Ready;
  }
  return undefined;
}
