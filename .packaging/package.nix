# nix-build -E 'with import <nixpkgs> {}; callPackage ./.packaging/package.nix {}'
{ lib, python3Packages, withFast ? true, withWeb ? true }:

python3Packages.buildPythonApplication {
  pname = "daoqi-tui";
  version = "1.0.0";
  pyproject = true;
  src = ../.;

  build-system = with python3Packages; [ hatchling hatch-fancy-pypi-readme msgspec shtab ];

  dependencies = with python3Packages; [
    aiohttp fsrs msgspec numpy pillow platformdirs rich segno shtab textual tomlkit
  ] ++ lib.optionals withFast [ numba ] ++ lib.optionals withWeb [ textual-serve ];

  pythonImportsCheck = [ "daoqi_tui.tui.app" ];

  meta = {
    description = "Daoqi, the game of Go on a torus, in the terminal";
    license = lib.licenses.mit;
    mainProgram = "daoqi-tui";
  };
}
