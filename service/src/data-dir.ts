import { homedir } from "node:os";
import { posix, win32 } from "node:path";

const NAME = "crec-local-service";

/** Where programs of a user keep data, by the convention of the platform. */
export function defaultDataDir(
  env: NodeJS.ProcessEnv,
  { platform = process.platform, home = homedir() }: { platform?: string; home?: string } = {},
): string {
  if (platform === "win32") {
    return win32.join(env.LOCALAPPDATA || win32.join(home, "AppData", "Local"), NAME);
  }
  if (platform === "darwin") return posix.join(home, "Library", "Application Support", NAME);
  // A relative path there is invalid, says the specification of these folders.
  const given = env.XDG_DATA_HOME ?? "";
  return posix.join(posix.isAbsolute(given) ? given : posix.join(home, ".local", "share"), NAME);
}
