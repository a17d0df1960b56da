import {
  type ContextCopy,
  type Job,
  REPORT_LIMITS,
  type ServiceSnapshot,
  type TestReplies,
  type TickedModule,
} from "../shared/job.ts";
import type { ChosenFlows } from "./flows/choose.ts";

/** The seed of a rehearsal where nobody chooses another one. */
const SEED = 1;

type JobOptions = {
  chosen: ChosenFlows;
  /** Unix milliseconds. */
  span: Job["span"];
  snapshot: ServiceSnapshot;
  /** @default those of this process */
  environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** @default context starts empty */
  context?: ContextCopy | undefined;
  /** @default 1 */
  seed?: number | undefined;
  /** @default that of this machine */
  timeZone?: string | undefined;
  /** @default "en-US" */
  language?: string | undefined;
  /** @default none */
  modules?: readonly TickedModule[] | undefined;
  /** @default none */
  replies?: TestReplies | undefined;
  /** @default false */
  askQueries?: boolean | undefined;
  /** @default REPORT_LIMITS */
  limits?: Partial<Job["limits"]> | undefined;
};

/** All that the child process is given. Of the environment, it has what fields of the flows name, and no secrets. */
export function makeJob({ chosen, span, snapshot, context, ...options }: JobOptions): Job {
  const environment = options.environment ?? process.env;
  const named = chosen.variables.flatMap((name): Array<[string, string]> => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    flows: chosen.flows,
    environment: Object.fromEntries(named),
    ...(context ? { context: plainContext(context) } : {}),
    span,
    seed: options.seed ?? SEED,
    timeZone: options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    language: options.language ?? "en-US",
    snapshot,
    modules: options.modules ?? [],
    replies: options.replies ?? {},
    askQueries: options.askQueries ?? false,
    limits: { ...REPORT_LIMITS, ...options.limits },
  };
}

/** Only what is plain JSON: a value that is not, such as an open connection, is left out. */
function plainContext({ global, flows, nodes }: ContextCopy): ContextCopy {
  return { global: plain(global), flows: plainEach(flows), nodes: plainEach(nodes) };
}

function plainEach(contexts: ContextCopy["flows"]): ContextCopy["flows"] {
  return Object.fromEntries(Object.entries(contexts).map(([id, values]) => [id, plain(values)]));
}

function plain(values: ContextCopy["global"]): ContextCopy["global"] {
  const entries = Object.entries(values).flatMap(([name, value]) => {
    const text = jsonOf(value);
    return text === undefined ? [] : [[name, JSON.parse(text) as unknown]];
  });
  return Object.fromEntries(entries);
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
