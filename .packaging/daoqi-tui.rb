# brew install --formula ./.packaging/daoqi-tui.rb, once the archive of a release has an address; then
# brew update-python-resources daoqi-tui writes the libraries.
class DaoqiTui < Formula
  include Language::Python::Virtualenv

  desc "Daoqi, the game of Go on a torus, in the terminal"
  homepage "https://example.org/daoqi-tui"
  url "https://example.org/daoqi-tui/daoqi_tui-1.0.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "numpy"
  depends_on "pillow"
  depends_on "python@3.13"

  def install
    virtualenv_install_with_resources
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/daoqi-tui --version")
  end
end
