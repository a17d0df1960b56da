/** The files whose code is in the bundle: esbuild reads more of a package than it keeps. */
export function bundledFiles(metafile: import("esbuild").Metafile) {
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => (inputs[path]?.bytesInOutput ?? 0) > 0),
  );
}
