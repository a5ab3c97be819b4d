# docker build -t sworn . && docker run -v ./sworn:/etc/sworn:ro -v sworn-data:/var/lib/sworn sworn
FROM debian:12-slim AS build
WORKDIR /src
COPY deploy/install-packages deploy/packages-build.txt deploy/
RUN deploy/install-packages && rm -rf /var/lib/apt/lists/*
COPY . .
RUN cmake --preset release -DSWORN_TESTS=OFF \
    && cmake --build --preset release --target sworn \
    && strip --strip-debug build/release/sworn

FROM debian:12-slim
COPY deploy/packages-run.txt /tmp/
RUN apt-get update \
    && grep -v '^#' /tmp/packages-run.txt | xargs apt-get install -y --no-install-recommends \
    && rm -rf /var/lib/apt/lists/* /tmp/packages-run.txt \
    && useradd --system --uid 8118 --user-group --home-dir /var/lib/sworn --shell /usr/sbin/nologin sworn \
    && install -d -m 0700 -o sworn -g sworn /var/lib/sworn
COPY --from=build /src/build/release/sworn /usr/local/bin/sworn
COPY LICENSE /usr/share/doc/sworn/LICENSE
USER sworn
WORKDIR /var/lib/sworn
VOLUME /var/lib/sworn
# Proxy, control (with a token), metrics. A configuration for containers listens on 0.0.0.0.
EXPOSE 8118 8119 8120
STOPSIGNAL SIGTERM
# Answers only while the control API does; SWORN_CONFIG below says where that is.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
    CMD ["/usr/local/bin/sworn", "list", "--json", "--since", "1s"]
ENV SWORN_CONFIG=/etc/sworn/sworn.yaml
ENTRYPOINT ["/usr/local/bin/sworn"]
CMD ["serve", "--config", "/etc/sworn/sworn.yaml"]
