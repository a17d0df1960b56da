// npm runs it before `npm publish` in this folder, which would tell the registry what package.json and README.md say in
// the repository: npm reads them again after postpack.
process.stderr.write(
  "Publish the packed file, not the folder: run npm run package, then npm publish with the file that it names.\n",
);
process.exitCode = 1;
