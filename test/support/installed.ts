/**
 * Whether there is what tests need, by its path. Without it they skip themselves, and the summary of the run says so.
 *
 * @throws where CI is set: there, a test that does not run is a failure.
 */
export function isInstalled(name: string, path: string | undefined, howToGet: string): boolean {
  if (path !== undefined) return true;
  if (process.env.CI) throw new Error(`There is no ${name}. ${howToGet}`);
  return false;
}
