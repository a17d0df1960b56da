import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";

export const root: string = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "docs/deploy");
export const readDeployed = (file: string): string => readFileSync(join(folder, file), "utf8");

/** How Node-RED runs by a manifest of the guide. */
export type Copy = {
  args: string[];
  /** In their order, as they are written: with `$(NAME)` in them. */
  env: Array<{ name: string; value: string }>;
  mounts: Array<{ path: string; isReadOnly: boolean }>;
  /** The command that says whether it is ready. */
  ready: string[];
  /** The paths that answer from the start. */
  live: string[];
  graceSeconds: number;
};

/** The parts of a Kubernetes object that the tests read. */
export type KubernetesObject = {
  kind: string;
  metadata: { name: string };
  spec: Spec;
};
type Spec = {
  replicas?: number;
  minReadySeconds?: number;
  strategy?: { type?: string; rollingUpdate?: { maxUnavailable?: number } };
  selector?: { matchLabels?: Record<string, string> } & Record<string, unknown>;
  ports?: Array<{ port: number; targetPort: string }>;
  template?: { metadata: { labels: Record<string, string> }; spec: PodSpec };
  volumeClaimTemplates?: Array<{ metadata: { name: string } }>;
};
export type PodSpec = {
  enableServiceLinks?: boolean;
  automountServiceAccountToken?: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext: Record<string, unknown>;
  containers: [Container];
  volumes?: Array<{ name: string; persistentVolumeClaim?: { claimName: string } } & Record<string, unknown>>;
};
type Container = {
  args: string[];
  envFrom?: unknown[];
  env: Array<{ name: string; value?: string }>;
  ports: [{ name: string; containerPort: number }];
  securityContext: Record<string, unknown>;
  volumeMounts: Array<{ name: string; mountPath: string; readOnly?: boolean }>;
} & Record<"startupProbe" | "livenessProbe" | "readinessProbe", Probe | undefined>;
type Probe = {
  httpGet?: { path: string; port: string };
  exec?: { command: string[] };
  tcpSocket?: { port: string };
  periodSeconds?: number;
  timeoutSeconds?: number;
  failureThreshold?: number;
};

export type Compose = {
  services: { "node-red": ComposeService };
  volumes: Record<string, unknown>;
};
type ComposeService = {
  volumes: string[];
  environment: Record<string, string>;
  env_file: string[];
  ports: string[];
  command: string[];
  healthcheck: { test: string[] };
  stop_grace_period: string;
  tmpfs: string[];
  user: string;
  read_only: boolean;
  cap_drop: string[];
  security_opt: string[];
};

export type Kustomization = {
  resources: string[];
  configMapGenerator: [{ name: string; files: string[] }];
  secretGenerator: [{ name: string; envs: string[] }];
  images: [{ name: string; newName: string; newTag: string }];
  patches?: Array<{ target: { kind: string }; patch: string }>;
};

export const kubernetesObjects = (text: string): KubernetesObject[] =>
  parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);

export const composeFile = (text: string): Compose => parse(text) as Compose;

/** With the lines for OpenShift, which are comments. */
export const kustomizationFor = (text: string): Kustomization =>
  parse(text.replaceAll(/^#(?=patches|\s{2})/gm, "")) as Kustomization;

export const podOf = (objects: readonly KubernetesObject[], name: string): PodSpec => {
  const found = objects.find(({ metadata, spec }) => metadata.name === name && spec.template !== undefined);
  if (found?.spec.template === undefined) throw new Error(`The manifest has no pods named ${name}.`);
  return found.spec.template.spec;
};

/** Node-RED in a Kubernetes manifest. */
export function copyInKubernetes(text: string): Copy {
  const pod = podOf(kubernetesObjects(text), "crec");
  const [{ args, env, volumeMounts, startupProbe, livenessProbe, readinessProbe }] = pod.containers;
  return {
    args,
    env: env.map(({ name, value }) => ({ name, value: value ?? `$(${name})` })),
    mounts: volumeMounts.map(({ mountPath, readOnly = false }) => ({
      path: mountPath,
      isReadOnly: readOnly,
    })),
    ready: readinessProbe?.exec?.command ?? [],
    live: [startupProbe, livenessProbe].map((probe) => probe?.httpGet?.path ?? ""),
    graceSeconds: pod.terminationGracePeriodSeconds ?? 0,
  };
}

/** Node-RED in the Compose file. */
export function copyInCompose(text: string): Copy {
  const { command, environment, volumes, tmpfs, healthcheck, stop_grace_period } =
    composeFile(text).services["node-red"];
  const mounted = volumes.map((volume) => {
    const [, path = "", mode] = volume.split(":");
    return { path, isReadOnly: mode === "ro" };
  });
  return {
    args: command,
    env: Object.entries(environment).map(([name, value]) => ({ name, value })),
    mounts: [...mounted, ...tmpfs.map((path) => ({ path, isReadOnly: false }))],
    ready: healthcheck.test.slice(1),
    live: [],
    graceSeconds: Number.parseInt(stop_grace_period, 10),
  };
}

/** The variables of `.env`, by the example for it. */
export const namesInEnvFile = (): string[] =>
  [...readDeployed("env.example").matchAll(/^([A-Z_]+)=/gm)].map(([, name = ""]) => name);

/** The files of the folder that is mounted. */
export const configFiles = (kustomization: Kustomization): string[] =>
  kustomization.configMapGenerator[0].files.map((file) => resolve(folder, file));

export const configFolder: string = dirname(join(folder, "config/settings.js"));
