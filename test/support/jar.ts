import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { cacheDir, draftBeside, sweepDrafts } from '../../dev/lib/cache';
import { onPath, reasonOf } from '../../dev/lib/processes';

const limitMs = 240_000;
const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';

/**
 * A group of tests that need Java with a program of Maven Central (`group:name:version`), kept in the cache. Where
 * either cannot be had, the group counts as skipped and its name says why.
 */
export function describeJar(artifact: string, name: string, body: (jar: string) => void): void {
  const jar = provideJar(artifact);
  if ('skipped' in jar) describe.skip(`${name} (${jar.skipped})`, () => test('skipped', () => undefined));
  else describe(name, () => body(jar.file));
}

function provideJar(artifact: string): { readonly file: string } | { readonly skipped: string } {
  const maven = onPath('mvn');
  if (!onPath('java') || !maven) return { skipped: 'no Java and Maven: `java` or `mvn` is not on PATH' };
  const [, program = '', version = ''] = artifact.split(':');
  const target = path.join(cacheDir(), 'jars', `${program}-${version}`);
  const file = path.join(target, `${program}-${version}.jar`);
  sweepDrafts(target);
  if (fs.existsSync(file)) return { file };
  const draft = draftBeside(target);
  try {
    const options = ['-q', '-B', copy, `-Dartifact=${artifact}`, `-DoutputDirectory=${draft}`];
    const { status, stdout } = spawnSync(maven, options, { encoding: 'utf8', timeout: limitMs, cwd: draft });
    if (status !== 0) return { skipped: `no jar of Maven Central: ${reasonOf(stdout ?? '') || 'mvn did not end'}` };
    fs.renameSync(draft, target);
    return { file };
  } catch (error) {
    // Another run was first.
    if (fs.existsSync(file)) return { file };
    throw error;
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/** Copies what the Maven project of a folder depends on to a folder of its own, which it returns. */
export function copyDependencies(project: string): string {
  const target = path.join(project, 'dependencies');
  const goal = copy.replace(/copy$/, 'copy-dependencies');
  const options = ['-q', '-B', goal, '-DincludeScope=compile', `-DoutputDirectory=${target}`];
  const { status, stdout } = spawnSync('mvn', options, { encoding: 'utf8', timeout: limitMs, cwd: project });
  if (status !== 0) throw new Error(`Maven copied nothing: ${reasonOf(stdout ?? '')}`);
  return target;
}
