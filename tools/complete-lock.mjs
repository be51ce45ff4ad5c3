// Adds to package-lock.json the optional packages of other platforms that npm left out.
//
// npm records only those that the registry at hand carries, and `npm ci` then refuses the lock file as incomplete. The
// added entries have no checksum: only a machine of such a platform ever fetches them. npm runs this after each change.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'];

const path = join(dirname(fileURLToPath(import.meta.url)), '..', 'package-lock.json');
const text = readFileSync(path, 'utf8');
const lock = JSON.parse(text);

for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (!(`node_modules/${name}` in lock.packages))
      lock.packages[`node_modules/${name}`] = absent(name, version, entry);
  }
}
const [own, ...others] = Object.entries(lock.packages);
lock.packages = Object.fromEntries([own, ...others.sort(([a], [b]) => a.localeCompare(b, 'en'))]);

const completed = `${JSON.stringify(lock, null, 2)}\n`;
if (completed !== text) writeFileSync(path, completed);

/** The entry of a package that npm could not look up; what it runs on is in its name, as `…-linux-arm64-musl`. */
function absent(name, version, { dev }) {
  const words = name.split(/[-/]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  if (!/^\d+\.\d+\.\d+\S*$/.test(version) || os.length + cpu.length === 0) {
    throw new Error(`package-lock.json lacks ${name} ${version}, which is not recognised as a package of one platform`);
  }
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : undefined;
  return {
    version,
    ...(cpu.length > 0 && { cpu }),
    ...(dev && { dev }),
    ...(libc && { libc }),
    optional: true,
    ...(os.length > 0 && { os }),
  };
}
