# One image for `api`, `worker`, `migrate` and the admin CLI: the command decides which (docker-compose.yml).
FROM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without the workspaces, sandbox and tests: they are no part of the service.
RUN npm ci --workspaces=false --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY api ./api
COPY workflows ./workflows
COPY activities ./activities
COPY models ./models
COPY worker ./worker
COPY admin ./admin
RUN node node_modules/typescript-7/bin/tsc -p tsconfig.build.json && node dist/api/doors/dashboard/build.js && node dist/worker/bundle.js && npm run --silent sbom
# The engine's native part comes for five platforms, 25 to 30 MB each: only this one's is of use here.
RUN npm prune --omit=dev --workspaces=false --no-audit --no-fund \
  && case "$(uname -m)" in aarch64) keep=aarch64-unknown-linux-gnu ;; *) keep=x86_64-unknown-linux-gnu ;; esac \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$keep" -exec rm -rf {} + \
  && test -d "node_modules/@temporalio/core-bridge/releases/$keep"

FROM node:24-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# The API serves pages of them.
COPY docs ./docs
COPY CHANGELOG.md ./
COPY clients/typescript/README.md ./clients/typescript/
# A new volume takes the owner of what it is mounted over.
RUN mkdir /files && chown node:node /files
# Nothing is written to the image's files, and nobody is root.
USER node
EXPOSE 3000
CMD ["node", "dist/api/index.js"]
